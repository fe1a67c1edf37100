/** Waits in real time, for servers whose clock a test cannot advance. */
export async function eventually(holds: () => boolean | Promise<boolean>, limitMs = 20_000): Promise<void> {
  const until = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > until)
      throw new Error(`the condition does not hold within ${limitMs} ms: ${String(holds)}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}
