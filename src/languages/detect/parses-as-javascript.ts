/** Whether a text is JavaScript, as a script or a module; nothing of it runs. The parser is loaded when first asked. */
export async function parsesAsJavaScript(code: string): Promise<boolean> {
  const { parse } = await import('acorn');
  for (const sourceType of ['module', 'script'] as const) {
    try {
      parse(code, {
        ecmaVersion: 'latest',
        sourceType,
        allowReturnOutsideFunction: true,
        allowAwaitOutsideFunction: true,
        allowHashBang: true,
      });
      return true;
    } catch {}
  }
  return false;
}
