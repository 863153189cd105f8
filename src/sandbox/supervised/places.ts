/** Where things are behind a wall that has the supervisor in it. */
export const INSIDE = {
  workspace: '/workspace',
  output: '/output',
  files: '/run/sallyport/inside',
  bin: '/run/sallyport/bin',
  node: '/run/sallyport/bin/node',
  /** The command `mcp`. */
  mcp: '/run/sallyport/bin/mcp',
  /** Where the socket is by which processes come to the hatch. */
  hatch: '/run/sallyport/hatch',
  /** The inner end of the way out, where one is open. */
  egressRelay: '/run/sallyport/inside/egress/relay.mjs',
  egressSocket: '/run/sallyport/hatch/egress',
  egressPort: 3128,
  /** Installed packages: `python` and `node_modules`. */
  packages: '/run/sallyport/packages',
  supervisor: '/run/sallyport/inside/supervisor.sh',
  /** Only in containers: what the host and the first process meet by. */
  door: '/run/sallyport/door',
  hostname: 'sallyport',
  uid: 1000,
} as const;
