import assert from 'node:assert/strict'

/** What an app does: asks the API over HTTP, with its key. */
export function createClient({ url, apiKey }) {
  const headers = { authorization: `Bearer ${apiKey}` }
  return {
    /** @param expected  Its status and, of a refusal, the name of the error. */
    async send(message, { status, name }) {
      const response = await fetch(`${url}/v1/emails`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(message),
      })
      const body = await response.json()
      assert.deepEqual([response.status, body.name], [status, name], body.message)
      return body
    },
    async get(path) {
      const response = await fetch(`${url}${path}`, { headers })
      assert.equal(response.status, 200, path)
      return response.json()
    },
  }
}
