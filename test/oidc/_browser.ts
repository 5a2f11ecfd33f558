/** An answer, and where it came from. */
export interface Visit {
  url: URL
  status: number
  body: string
  headers: Headers
}

/** Follows redirects and sends forms as a browser does, with the cookies of each origin. */
export interface Browser {
  visit(url: string | URL, init?: RequestInit): Promise<Visit>
  /** Goes to one address and no further. */
  step(url: string | URL, init?: RequestInit): Promise<Visit>
  /** Sends the one form of a page with its hidden fields. */
  submit(page: Visit, fields?: Readonly<Record<string, string>>): Promise<Visit>
  /** The cookies of an origin, by name. */
  cookies(origin: string): Map<string, string>
}

/** @param headers  For each request. */
export function createBrowser(headers: Readonly<Record<string, string>> = {}): Browser {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = (origin: string): Map<string, string> => {
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    return jar
  }

  async function step(url: string | URL, init: RequestInit = {}): Promise<Visit> {
    const target = new URL(url)
    const jar = jarOf(target.origin)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(target, {
      redirect: 'manual',
      ...init,
      headers: { accept: 'text/html', ...(cookie && { cookie }), ...headers },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? []
      if (value === '' || /Max-Age=0|1970/i.test(rest)) jar.delete(name)
      else jar.set(name, value)
    }
    return { url: target, status: response.status, body: await response.text(), headers: response.headers }
  }

  async function visit(url: string | URL, init?: RequestInit): Promise<Visit> {
    let at = await step(url, init)
    for (let hops = 0; hops < 10; hops++) {
      const location = at.headers.get('location')
      if (location === null) return at
      at = await step(new URL(location, at.url))
    }
    throw new Error(`${url} redirects without end`)
  }

  return {
    visit,
    step,
    submit(page, fields = {}) {
      const [, action = ''] = /<form[^>]* action="([^"]*)"/.exec(page.body) ?? []
      const hidden = page.body.matchAll(/<input type="hidden" name="(\w+)" value="(\w*)"/g)
      const given = [...hidden].map(([, name = '', value = '']): [string, string] => [name, value])
      return visit(new URL(action, page.url), {
        method: 'POST',
        body: new URLSearchParams([...given, ...Object.entries(fields)]),
      })
    },
    cookies: jarOf,
  }
}
