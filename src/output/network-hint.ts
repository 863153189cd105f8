/**
 * Recognises a failed name lookup or connect in the words of the programs that fail so.
 *
 * A refused connection is none of these: without a network only the program's own machine can refuse, so a server that
 * was not started is to blame.
 */
const FAILURES: readonly RegExp[] = [
  // The C library's words, which Python, Ruby, wget, git, ssh and ping pass on.
  /\b(?:Name or service not known|Temporary failure in name resolution|No address associated with hostname)\b/,
  /\bnodename nor servname provided\b/,
  /\b[Nn]etwork is unreachable\b|\bNo route to host\b|\bHost is unreachable\b/,
  /\bgaierror\b|\bFailed to resolve '|\bNameResolutionError\b/,
  // Node and npm.
  /\bgetaddrinfo (?:EAI_AGAIN|ENOTFOUND)\b|\bquery[A-Z]\w* (?:ECONNREFUSED|ETIMEOUT|ENOTFOUND)\b/,
  /\bconnect (?:ENETUNREACH|EHOSTUNREACH)\b|\bnpm (?:error|ERR!) code (?:EAI_AGAIN|ENOTFOUND|ENETUNREACH)\b/,
  // curl, wget, git, ssh, apt.
  /\b[Cc]ould not resolve (?:host|proxy)(?:name)?\b|\bunable to resolve host address\b|\bwget: bad address\b/,
  /\bTemporary failure resolving '/,
  /\bcurl: \(7\) (?!.*(?:localhost|127\.\d+\.\d+\.\d+|::1))/,
  // Go, Java, Rust, Deno.
  /\bdial (?:tcp|udp)\S* lookup \S+: |\blookup \S+(?: on \S+)?: no such host\b/,
  /\bUnknownHostException: |\bfailed to lookup address information\b|\bRequires net access to "/,
];
/** What Node's `fetch` says of any failure; a refusal is told beside it. */
const FETCH_FAILED = /\bTypeError: fetch failed\b/;

/** In the words of the proxy that programs leave by, and in those that other programs make of them. */
const NOT_ALLOWED =
  /\b403:? Refused by Sallyport\b|\bCONNECT tunnel failed, response 403\b|is not on the list of hosts/;

/** Undefined when the text tells of nothing of the kind. */
export function networkHint(text: string): string | undefined {
  if (NOT_ALLOWED.test(text))
    return 'only hosts named in "network" of the config can be reached; a person can add this one';
  const isNetworkFailure =
    FAILURES.some((pattern) => pattern.test(text)) || (FETCH_FAILED.test(text) && !/\bECONNREFUSED\b/.test(text));
  return isNetworkFailure ? 'network is off; a person can allow hosts with "network" in the config' : undefined;
}
