import { describe, expect, it } from 'vitest'
import { authorityOf, isLoopback, isWildcard, reachableHost } from '../../src/net/hosts.ts'

describe('a host', () => {
  it('is loopback by its name, or by an address of this machine only', () => {
    const own = ['localhost', 'LOCALHOST', 'x.localhost', '127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1']
    expect(own.filter((host) => !isLoopback(host))).toEqual([])
    const others = ['128.0.0.1', '127.0.0.1.x', 'x127.0.0.1', 'localhost.x', 'notlocalhost', '.localhost']
    expect([...others, '', '::', '::2', '0.0.0.0', '10.0.0.1'].filter(isLoopback)).toEqual([])
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
    expect(['0.0.0.0', '::', ''].every(isWildcard)).toBe(true)
    expect(['127.0.0.1', '::1', 'localhost', '0.0.0.1'].some(isWildcard)).toBe(false)
  })

  it('is written with its port as in a URL', () => {
    const hosts = ['127.0.0.1', '::1', 'fe80::1%eth0', 'localhost']
    const written = hosts.map((host) => authorityOf(host, 25))
    expect(written).toEqual(['127.0.0.1:25', '[::1]:25', '[fe80::1]:25', 'localhost:25'])
    expect(written.every((authority) => URL.canParse(`http://${authority}`))).toBe(true)
  })
})
