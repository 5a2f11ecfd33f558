import { describe, expect, it } from 'vitest'
import { runAll, runTogether } from '../../src/core/run-all.ts'

const fail = (text: string) => () => Promise.reject(new Error(text))

describe('steps', () => {
  it('are all run, in order, and the first error is thrown at the end', async () => {
    const done: string[] = []
    const late = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      done.push('late')
    }
    const steps = [fail('first'), late, fail('second'), () => done.push('last')]
    await expect(runAll(steps)).rejects.toThrow('first')
    expect(done).toEqual(['late', 'last'])
    const broken = (): never => {
      throw new Error('at once')
    }
    await expect(runAll([broken, () => done.push('after')])).rejects.toThrow('at once')
    expect(done.at(-1)).toBe('after')
    await runAll([() => done.push('fine')])
  })

  it('that run at the same time are all awaited, even if one fails', async () => {
    let isDone = false
    const slow = async (): Promise<void> => {
      await new Promise<void>((resolve) => setTimeout(resolve, 20))
      isDone = true
    }
    const broken = (): never => {
      throw new Error('at once')
    }
    await expect(runTogether([broken, slow, fail('second')])).rejects.toThrow('at once')
    expect(isDone).toBe(true)
    await runTogether([slow, () => undefined])
  })
})
