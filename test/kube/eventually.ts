/** Waits in real time, for servers whose clock a test cannot advance. */
export async function eventually(isSo: () => boolean | Promise<boolean>, limitMs = 20_000): Promise<void> {
  const until = Date.now() + limitMs;
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error(`it is not so within ${limitMs} ms: ${String(isSo)}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}
