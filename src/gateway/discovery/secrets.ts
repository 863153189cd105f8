/** Which texts of an entry are secret, and under which name they are shown instead. */
import type { ServerEntry } from '#clients/entry';
import type { Secret } from './discovery.ts';

/** Shorter values of variables are words like `true` and `dev`; hiding those would hide half of every output. */
const SECRET_CHARS_MIN = 8;
/** An author is nobody's secret. */
const TELLING_NAME = /token|key|secret|passw|credential|auth(?!or(?!i))/i;
const TELLING_FLAG =
  /^--?(?:[\w-]+[-_])?(?:api-?key|key|token|secret|password|passwd|credentials?|auth|pat)(?:[-_](?:token|key))?$/i;

/** Header values are secret but for these, which say what is sent and not who sends it. */
const OPEN_HEADERS = new Set(['accept', 'accept-language', 'accept-encoding', 'content-type', 'user-agent']);

/** Whether a variable's name says that its value is secret, or a person listed it. */
export function isSecretName(name: string, listed: readonly string[]): boolean {
  return TELLING_NAME.test(name) || listed.includes(name);
}

/** A value of a variable, where its name and its length make it one. */
export function variableSecret(name: string, value: string, listed: readonly string[]): Secret[] {
  return value.length >= SECRET_CHARS_MIN && isSecretName(name, listed) ? [{ name, value }] : [];
}

export function entrySecrets(entry: ServerEntry, listed: readonly string[]): Secret[] {
  return [
    ...Object.entries(entry.env).flatMap(([name, value]) => variableSecret(name, value, listed)),
    ...Object.entries(entry.headers).flatMap(([name, value]) => headerSecrets(name, value)),
    ...flagSecrets(entry.args),
    ...urlSecrets(entry.url),
    ...(entry.oauth?.clientSecret ? [{ name: 'OAuth client secret', value: entry.oauth.clientSecret }] : []),
  ];
}

/** Without what was named before; the longest first, so that hiding one cannot cut another in two. */
export function distinctSecrets(secrets: readonly Secret[]): Secret[] {
  const byValue = new Map<string, Secret>();
  for (const secret of secrets) if (!byValue.has(secret.value)) byValue.set(secret.value, secret);
  return [...byValue.values()].sort((a, b) => b.value.length - a.value.length);
}

/** The value, and the part behind `Bearer`, which may turn up alone. */
function headerSecrets(name: string, value: string): Secret[] {
  if (OPEN_HEADERS.has(name.toLowerCase())) return [];
  const token = /^(?:bearer|basic|token|apikey)\s+(.+)$/i.exec(value)?.[1];
  const lengthMin = TELLING_NAME.test(name) || /cookie/i.test(name) ? 4 : SECRET_CHARS_MIN;
  return [value, ...(token === undefined ? [] : [token])]
    .filter((text) => text.length >= lengthMin)
    .map((text) => ({ name, value: text }));
}

/** `--api-key=VALUE` and `--api-key VALUE`. */
function flagSecrets(args: readonly string[]): Secret[] {
  return args.flatMap((arg, index) => {
    const [flag = '', ...rest] = arg.split('=');
    if (!TELLING_FLAG.test(flag)) return [];
    const value = rest.length > 0 ? rest.join('=') : (args[index + 1] ?? '');
    const isValue = value.length >= SECRET_CHARS_MIN && (rest.length > 0 || !value.startsWith('-'));
    return isValue ? [{ name: flag.replace(/^-+/, ''), value }] : [];
  });
}

/** A password before the host, and parameters whose names tell; as written, and as they mean. */
function urlSecrets(url: string | undefined): Secret[] {
  if (url === undefined || !URL.canParse(url)) return [];
  const { password, searchParams } = new URL(url);
  const parameters = [...searchParams].flatMap(([name, value]) => variableSecret(name, value, []));
  return [...(password === '' ? [] : [{ name: 'URL password', value: decoded(password) }]), ...parameters];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray percent sign: the text means itself
  }
}
