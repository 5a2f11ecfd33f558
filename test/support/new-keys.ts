/** Whether `rsa-keys.ts` gives keys that were made before. */
export const kept = { isOn: true }

/** Makes new RSA keys while it runs: for a test of the making itself. */
export async function withNewKeys<T>(run: () => Promise<T>): Promise<T> {
  kept.isOn = false
  try {
    return await run()
  } finally {
    kept.isOn = true
  }
}
