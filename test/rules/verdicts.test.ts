import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/rules/simulator.ts'
import { createVerdicts } from '../../src/rules/verdicts.ts'

const { isSimulator, verdictOf: simulatorVerdict, aftermathOf } = createSimulator()

describe('the simulator', () => {
  it('is two hosts in any case, and no other', () => {
    for (const address of [
      'bounce@simulator.localpost',
      'x@SIMULATOR.amazonses.com',
      '@simulator.localpost',
    ]) {
      expect(isSimulator(address)).toBe(true)
    }
    for (const address of [
      'bounce@simulator.localpost.com',
      'bounce@a.simulator.localpost',
      'simulator.localpost',
      '',
    ]) {
      expect(isSimulator(address)).toBe(false)
      expect(simulatorVerdict(address)).toBeNull()
      expect(aftermathOf(address)).toBeNull()
    }
  })

  it.each([
    ['bounce', 550, '5.1.1', false],
    ['softbounce', 451, '4.3.0', false],
    ['mailboxfull', 452, '4.2.2', false],
    ['suppressionlist', 550, '5.7.1', false],
    ['delayed', 451, '4.4.7', true],
    ['anybody-else', 550, '5.1.1', false],
    ['', 550, '5.1.1', false],
  ])('refuses %s with %d %s', (name, reply_code, enhanced_code, first_attempt_only) => {
    for (const local of [name, `${name}+label`, name.toUpperCase()]) {
      expect(simulatorVerdict(`${local}@simulator.localpost`)).toMatchObject({
        verdict: { action: 'reject', reply_code, enhanced_code },
        first_attempt_only,
      })
    }
  })

  it.each([
    ['success', null],
    ['complaint', 'complained'],
    ['opened', 'opened'],
    ['clicked', 'clicked'],
  ])('accepts %s and asks for %s', (name, aftermath) => {
    expect(simulatorVerdict(`${name}+x@simulator.localpost`)?.verdict).toEqual({ action: 'accept' })
    expect(aftermathOf(`${name}+x@simulator.localpost`)).toBe(aftermath)
  })

  it('asks for delivery_delayed at a deferral', () => {
    expect(aftermathOf('delayed@simulator.localpost')).toBe('delivery_delayed')
  })
})

describe('createVerdicts', () => {
  it('delays the first attempt of each delivery and recipient', async () => {
    const verdictOf = createVerdicts()
    const action = async (recipient: string, id: string | null): Promise<string> =>
      (await verdictOf(recipient, id)).action
    expect(await action('delayed@simulator.localpost', 'em_1')).toBe('reject')
    expect(await action('delayed@simulator.localpost', 'em_2')).toBe('reject')
    expect(await action('delayed+b@simulator.localpost', 'em_1')).toBe('reject')
    expect(await action('Delayed@simulator.localpost', 'em_1')).toBe('accept')
    expect(await action('delayed@simulator.localpost', 'em_2')).toBe('accept')
    expect(await action('ada@example.com', 'em_1')).toBe('accept')
    expect((await createVerdicts()('delayed@simulator.localpost', 'em_1')).action).toBe('reject')
  })
})
