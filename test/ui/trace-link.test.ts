import { expect, test } from 'vitest'
import { traceLink } from '../../ui/views/inbox/trace-link.ts'

test.each([
  ['http://127.0.0.1:16686/trace/{trace_id}', 'ab12', 'http://127.0.0.1:16686/trace/ab12'],
  ['http://x.test/?a={trace_id}&b={trace_id}', 'ab12', 'http://x.test/?a=ab12&b=ab12'],
  ['http://x.test/{trace_id}', 'a/../?#"', 'http://x.test/a%2F..%2F%3F%23%22'],
  ['http://x.test/{trace_id}', '$&', 'http://x.test/%24%26'],
  [null, 'ab12', null],
  [undefined, 'ab12', null],
])('%s with %s is %s', (template, id, link) => {
  expect(traceLink(template, id)).toBe(link)
})
