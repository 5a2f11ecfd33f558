import { describe, expect, it } from 'vitest'
import { authorityOf, isLoopback, isWildcard, reachableHost } from '../../src/net/hosts.ts'

describe('a host', () => {
  it('is loopback by its name, or by an address of this machine only', () => {
    const names = ['localhost', 'LOCALHOST', 'x.localhost']
    const addresses = ['127.0.0.1', '127.1.2.3', '::1', '0:0:0:0:0:0:0:1']
    const mapped = ['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:FFFF:7F00:1']
    const own = [...names, ...addresses, ...mapped]
    expect(own.filter((host) => !isLoopback(host))).toEqual([])
    const others = ['128.0.0.1', '127.0.0.1.x', 'x127.0.0.1', 'localhost.x', 'notlocalhost', '.localhost']
    // A host of this form may be somebody else's: it belongs to a tunnel.
    const tunnels = ['2002:7f00:1::1', '64:ff9b::7f00:1', '::ffff:0:7f00:1', '::7f00:1']
    const rest = ['', '::', '::2', '0.0.0.0', '10.0.0.1', '::ffff:10.0.0.1']
    expect([...others, ...tunnels, ...rest].filter(isLoopback)).toEqual([])
  })

  it('that means all addresses is reached at loopback, of its own family', () => {
    expect(['0.0.0.0', '::', '', '::1', '192.168.1.2', 'box.lan'].map(reachableHost)).toEqual([
      '127.0.0.1',
      '::1',
      '127.0.0.1',
      '::1',
      '192.168.1.2',
      'box.lan',
    ])
    const all = ['0.0.0.0', '::', '', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '::ffff:0:0']
    expect(all.filter((host) => !isWildcard(host))).toEqual([])
    expect(['127.0.0.1', '::1', 'localhost', '0.0.0.1', '::ffff:127.0.0.1'].some(isWildcard)).toBe(false)
  })

  it('is written with its port as in a URL', () => {
    const hosts = ['127.0.0.1', '::1', 'fe80::1%eth0', 'localhost']
    const written = hosts.map((host) => authorityOf(host, 25))
    expect(written).toEqual(['127.0.0.1:25', '[::1]:25', '[fe80::1]:25', 'localhost:25'])
    expect(written.every((authority) => URL.canParse(`http://${authority}`))).toBe(true)
  })
})
