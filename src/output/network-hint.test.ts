import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkHint } from './network-hint.ts';

const HINT = 'network is off; a person can allow hosts with "network" in the config';

const failures: ReadonlyArray<readonly [who: string, text: string]> = [
  ['Python', 'socket.gaierror: [Errno -3] Temporary failure in name resolution'],
  ['Python urllib', 'urllib.error.URLError: <urlopen error [Errno -2] Name or service not known>'],
  ['Python with an address', 'OSError: [Errno 101] Network is unreachable'],
  [
    'requests',
    "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded with url: / (Caused by NameResolutionError(\"HTTPSConnection(host='example.com', port=443): Failed to resolve 'example.com' ([Errno -3] Temporary failure in name resolution)\"))",
  ],
  ['httpx', 'httpx.ConnectError: [Errno -5] No address associated with hostname'],
  [
    'aiohttp',
    'aiohttp.client_exceptions.ClientConnectorDNSError: Cannot connect to host example.com:443 ssl:default [Temporary failure in name resolution]',
  ],
  ['Pyodide', 'urllib.error.URLError: <urlopen error [Errno 23] Host is unreachable>'],
  [
    'pip',
    "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError(': Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/numpy/",
  ],
  ['Node', 'Error: getaddrinfo EAI_AGAIN example.com\n    at GetAddrInfoReqWrap.onlookupall'],
  ['Node, another way', 'Error: getaddrinfo ENOTFOUND example.com'],
  ['Node with an address', 'Error: connect ENETUNREACH 1.1.1.1:443 - Local (0.0.0.0:0)'],
  ['Node dns', 'Error: queryA ECONNREFUSED example.com'],
  ['fetch', 'TypeError: fetch failed\n    at node:internal/deps/undici'],
  ['npm', 'npm error code EAI_AGAIN\nnpm error syscall getaddrinfo'],
  ['older npm', 'npm ERR! code ENOTFOUND'],
  ['Deno', 'NotCapable: Requires net access to "example.com:443", run again with the --allow-net flag'],
  ['curl', 'curl: (6) Could not resolve host: example.com'],
  ['curl with an address', "curl: (7) Failed to connect to 1.1.1.1 port 443 after 0 ms: Couldn't connect to server"],
  ['wget', 'wget: unable to resolve host address ‘example.com’'],
  ['busybox wget', "wget: bad address 'example.com'"],
  ['git', "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com"],
  ['ssh', 'ssh: Could not resolve hostname github.com: Temporary failure in name resolution'],
  ['apt', "Err:1 http://deb.debian.org/debian bookworm InRelease\n  Temporary failure resolving 'deb.debian.org'"],
  ['Go', 'Get "https://example.com": dial tcp: lookup example.com on 8.8.8.8:53: no such host'],
  ['Java', 'java.net.UnknownHostException: example.com'],
  ['Rust', 'error sending request: dns error: failed to lookup address information: Try again'],
];

const others: ReadonlyArray<readonly [what: string, text: string]> = [
  ['nothing', ''],
  ['a missing file', "FileNotFoundError: [Errno 2] No such file or directory: 'network.json'"],
  ['a missing module', "ModuleNotFoundError: No module named 'requests'"],
  ['a server of its own that is not there', 'ConnectionRefusedError: [Errno 111] Connection refused'],
  ['the same in Node', 'TypeError: fetch failed\n  [cause]: Error: connect ECONNREFUSED 127.0.0.1:3000'],
  ['the same in curl', "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server"],
  ['another error of curl', 'curl: (3) URL rejected: Malformed input to a URL function'],
  ['another error of git', 'fatal: not a git repository (or any of the parent directories): .git'],
  ['another error of npm', 'npm error code ENOENT\nnpm error path /workspace/package.json'],
  ['prose', 'The network has 3 layers; unreachable nodes were dropped and hostnames resolved.'],
];

describe('networkHint()', () => {
  for (const [who, text] of failures) {
    it(`knows the failure of ${who}`, () => assert.equal(networkHint(text), HINT));
  }
  for (const text of [
    'urllib.error.HTTPError: HTTP Error 403: Refused by Sallyport',
    'OSError: Tunnel connection failed: 403 Refused by Sallyport',
    'curl: (56) CONNECT tunnel failed, response 403',
  ]) {
    it(`knows a host that is not on the list: ${text}`, () =>
      assert.match(networkHint(text) ?? '', /only hosts named/));
  }
  for (const [what, text] of others) {
    it(`says nothing of ${what}`, () => assert.equal(networkHint(text), undefined));
  }
});
