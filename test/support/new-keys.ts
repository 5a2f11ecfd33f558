/** Whether `rsa-keys.ts` returns keys that were made before. */
export const kept = { isOn: true }

/** Runs a function during which RSA keys are really generated: for tests of the generation itself. */
export async function withNewKeys<T>(run: () => Promise<T>): Promise<T> {
  kept.isOn = false
  try {
    return await run()
  } finally {
    kept.isOn = true
  }
}
