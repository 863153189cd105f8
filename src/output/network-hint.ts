/** A failed name lookup or connect, in the words of the programs that fail so. */
const FAILED_LOOKUPS: readonly RegExp[] = [
  /\b(?:socket\.gaierror|gaierror)\b/,
  /Name or service not known|Temporary failure in name resolution|nodename nor servname provided/,
  /\bgetaddrinfo (?:EAI_AGAIN|ENOTFOUND)\b/,
  /\b(?:ENETUNREACH|EHOSTUNREACH)\b|Network is unreachable|No route to host/,
  /\bCould not resolve (?:host|proxy)\b|unable to resolve host|[Cc]ould not resolve hostname/,
  /\bconnect ECONNREFUSED\b|Connection refused/,
  /TypeError: fetch failed/,
];

export function networkHint(stderr: string): string | undefined {
  if (!FAILED_LOOKUPS.some((pattern) => pattern.test(stderr))) return undefined;
  return 'network is off; a person can allow hosts with "network" in the config';
}
