/** Whether `rsa-keys.ts` returns keys that were made before, and whether making any key fails. */
export const kept = { isOn: true, fails: false }

/** Runs a function during which RSA keys are really generated: for tests of the generation itself. */
export async function withNewKeys<T>(run: () => Promise<T>): Promise<T> {
  kept.isOn = false
  try {
    return await run()
  } finally {
    kept.isOn = true
  }
}

/** Runs a function during which the promisified `generateKeyPair` fails, for keys of all types. */
export async function withFailingKeys<T>(run: () => Promise<T>): Promise<T> {
  kept.fails = true
  try {
    return await run()
  } finally {
    kept.fails = false
  }
}
