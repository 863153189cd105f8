/**
 * One line on stderr per step: updated in place on a terminal, printed once elsewhere. Never stdout: that belongs to
 * the command which is about to start, and may be an MCP connection.
 */
export async function showProgress(doing, work) {
  if (!process.stderr.isTTY) {
    process.stderr.write(`sallyport: ${doing} …\n`);
    return await work();
  }
  const startedAt = Date.now();
  const draw = (end) => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    process.stderr.write(`\r\x1b[Ksallyport: ${doing} … ${seconds} s${end}`);
  };
  draw('');
  const timer = setInterval(draw, 250, '');
  try {
    return await work();
  } finally {
    clearInterval(timer);
    draw('\n');
  }
}
