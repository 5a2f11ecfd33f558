/** The globals that Node loads when they are first named. That takes 12 MiB, and an instance without requests needs none. */
import { processGlobals, webNative } from './natives.ts'

export const FormData: typeof globalThis.FormData = webNative('FormData')
export const Headers: typeof globalThis.Headers = webNative('Headers')
export const Request: typeof globalThis.Request = asRoot(webNative('Request'))
export const Response: typeof globalThis.Response = asRoot(webNative('Response'))
export const fetch: typeof globalThis.fetch = webNative('fetch')

// srvx subclasses the parent of `Request` and `Response`. happy-dom's parent cannot be constructed, and a subclass of it
// is no instance of the global class. So the class looks as if it had no parent.
function asRoot<C extends new (...given: never[]) => object>(known: C): C {
  if (Object.getPrototypeOf(known) === processGlobals.Function.prototype) return known
  function root(...given: never[]): object {
    return new known(...given)
  }
  return Object.defineProperties(root, Object.getOwnPropertyDescriptors(known)) as unknown as C
}
