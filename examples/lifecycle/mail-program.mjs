import assert from 'node:assert/strict'

/** What a recipient reads mail with: it has this recipient's own copy of the message, and asks what stands in it. */
export function createMailProgram(post, emailId, recipient) {
  const headers = { 'user-agent': `mail program of ${recipient}` }

  async function addressIn(pattern) {
    const copy = await post.inbox.html(emailId, { recipient })
    const [, value] = pattern.exec(copy) ?? assert.fail(`there is no ${pattern} in ${copy}`)
    return value.replaceAll('&amp;', '&')
  }

  return {
    async loadImage() {
      const response = await fetch(await addressIn(/<img src="([^"]+)"/), { headers })
      assert.equal(response.headers.get('content-type'), 'image/gif')
      await response.arrayBuffer()
    },
    /** @param destination  Where the link must lead. */
    async followLink(destination) {
      const response = await fetch(await addressIn(/<a href="([^"]+)"/), { headers, redirect: 'manual' })
      assert.deepEqual([response.status, response.headers.get('location')], [302, destination])
    },
  }
}
