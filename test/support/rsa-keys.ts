import crypto, { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { kept } from './new-keys.ts'

// A setup file: it runs before each test file. Making RSA keys of 2048 bits is most of the work of many tests, so they
// are taken in turn from those of `setup-keys.ts`. All other keys are generated as usual.
const marker = Symbol.for('localpost-tests.rsa-keys')

interface KeyOptions {
  modulusLength?: number
  publicKeyEncoding?: Parameters<KeyObject['export']>[0]
  privateKeyEncoding?: Parameters<KeyObject['export']>[0]
}
type Pair = Record<'publicKey' | 'privateKey', unknown>

if (!Object.hasOwn(crypto, marker)) {
  let taken = 0
  const next = (options: KeyOptions): Pair => {
    const keys = inject('rsaKeys')
    const privateKey = createPrivateKey(keys[taken++ % keys.length] ?? '')
    const encoded = (key: KeyObject, as: KeyOptions['publicKeyEncoding']): unknown =>
      as ? key.export(as) : key
    return {
      publicKey: encoded(createPublicKey(privateKey), options.publicKeyEncoding),
      privateKey: encoded(privateKey, options.privateKeyEncoding),
    }
  }
  const isKept = (type: string, options: unknown): options is KeyOptions =>
    kept.isOn && type === 'rsa' && (options as KeyOptions).modulusLength === 2048

  const { generateKeyPair, generateKeyPairSync } = crypto as unknown as {
    generateKeyPair: (
      type: string,
      options: unknown,
      done: (error: Error | null, ...keys: unknown[]) => void,
    ) => void
    generateKeyPairSync: (type: string, options: unknown) => Pair
  }
  const made = promisify(generateKeyPair as never) as unknown as (
    type: string,
    options: unknown,
  ) => Promise<Pair>
  const later = (
    type: string,
    options: unknown,
    done: (error: Error | null, ...keys: unknown[]) => void,
  ): void => {
    if (!isKept(type, options)) return generateKeyPair(type, options, done)
    const { publicKey, privateKey } = next(options)
    setImmediate(done, null, publicKey, privateKey)
  }
  Object.assign(crypto, {
    generateKeyPair: Object.assign(later, {
      [promisify.custom]: async (type: string, options: unknown) => {
        if (kept.fails) throw new Error('no memory')
        return isKept(type, options) ? next(options) : made(type, options)
      },
    }),
    generateKeyPairSync: (type: string, options: unknown) =>
      isKept(type, options) ? next(options) : generateKeyPairSync(type, options),
    [marker]: true,
  })
  syncBuiltinESMExports()
}
