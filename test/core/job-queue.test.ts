import { expect, it } from 'vitest'
import { createJobQueue } from '../../src/core/job-queue.ts'
import { testClock } from '../support/clock.ts'

const patience = 1000

function heldJob(): { job: () => Promise<number>; end(): void; isRunning(): boolean } {
  let finish = (): void => {}
  let isRunning = false
  const held = new Promise<number>((resolve) => (finish = () => resolve(1)))
  return {
    job: () => {
      isRunning = true
      return held.finally(() => (isRunning = false))
    },
    end: () => finish(),
    isRunning: () => isRunning,
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('runs a limited number of jobs at once, and the others in order of arrival', async () => {
  const queue = createJobQueue(testClock(0), 2, 10)
  const jobs = Array.from({ length: 4 }, heldJob)
  const results = jobs.map(({ job }) => queue.run(job, patience))
  const running = (): boolean[] => jobs.map(({ isRunning }) => isRunning())
  await turn()
  expect(running()).toEqual([true, true, false, false])
  jobs[1]?.end()
  await turn()
  expect(running()).toEqual([true, false, true, false])
  for (const { end } of jobs) end()
  expect(await Promise.all(results)).toEqual([1, 1, 1, 1])
})

it('refuses a job that waited too long or has too many before it, with Retry-After', async () => {
  const clock = testClock(0)
  const queue = createJobQueue(clock, 1, 1)
  const first = heldJob()
  const running = queue.run(first.job, patience)
  const late = queue.run(async () => 2, patience)
  const refused = { code: 'service_unavailable', headers: { 'retry-after': '1' } }
  await expect(queue.run(async () => 3, patience)).rejects.toMatchObject(refused)
  const expectation = expect(late).rejects.toMatchObject(refused)
  await clock.advance(patience)
  await expectation
  // A refused job leaves its place to others.
  const next = queue.run(async () => 4, Number.POSITIVE_INFINITY)
  first.end()
  expect(await Promise.all([running, next])).toEqual([1, 4])
})

it('continues after a job that fails', async () => {
  const queue = createJobQueue(testClock(0), 1, 10)
  const failing = queue.run(() => Promise.reject(new Error('broken')), patience)
  const next = queue.run(async () => 2, patience)
  await expect(failing).rejects.toThrow('broken')
  expect(await next).toBe(2)
})

it('gives the place of a caller that leaves to others, and never starts its job', async () => {
  const clock = testClock(0)
  const queue = createJobQueue(clock, 1, 50)
  const first = heldJob()
  const running = queue.run(first.job, patience)
  const gone = Array.from({ length: 50 }, () => ({ ...heldJob(), caller: new AbortController() }))
  const left = gone.map(({ job, caller }) => queue.run(job, patience, caller.signal))
  for (const each of left) each.catch(() => undefined)
  await expect(queue.run(async () => 2, patience)).rejects.toMatchObject({ code: 'service_unavailable' })
  for (const { caller } of gone) caller.abort(new Error('left'))
  for (const each of left) await expect(each).rejects.toThrow('left')
  expect(clock.timers()).toBe(0)
  const next = queue.run(async () => 2, patience)
  first.end()
  expect(await Promise.all([running, next])).toEqual([1, 2])
  expect(gone.some(({ isRunning }) => isRunning())).toBe(false)
})

it('does not start the job of a caller that has left, and does not end one that runs', async () => {
  const queue = createJobQueue(testClock(0), 1, 10)
  const late = queue.run(async () => 1, patience, AbortSignal.abort(new Error('left')))
  await expect(late).rejects.toThrow('left')
  const leaving = new AbortController()
  const first = heldJob()
  const running = queue.run(first.job, patience, leaving.signal)
  await turn()
  leaving.abort()
  expect(first.isRunning()).toBe(true)
  first.end()
  expect(await running).toBe(1)
})
