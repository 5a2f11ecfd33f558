import { describe, expect, it } from 'vitest'
import { forbiddenAddress, isPrivateAddress } from '../../src/net/addresses.ts'

describe('addresses', () => {
  it.each(['127.0.0.1', '::1', '10.0.0.1', '192.168.1.1', 'fd12::1', '8.8.8.8', '2606:4700::1111'])(
    '%s may be called',
    (address) => {
      expect(forbiddenAddress(address)).toBeNull()
    },
  )

  it.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    'fd00:ec2::254',
    'fe80::1%eth0',
    '100.100.100.200',
    '224.0.0.1',
    '0.0.0.0',
    '::',
    'nonsense',
  ])('%s may not', (address) => {
    expect(forbiddenAddress(address)).not.toBeNull()
  })

  it.each([
    ['10.1.2.3', true],
    ['::ffff:192.168.0.1', true],
    ['fd12::1', true],
    ['127.0.0.1', false],
    ['8.8.8.8', false],
    ['nonsense', false],
  ])('%s is private: %s', (address, isPrivate) => {
    expect(isPrivateAddress(address)).toBe(isPrivate)
  })
})
