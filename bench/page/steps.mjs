/** What is measured of the page, each with its limit in ms. A step answers one sample. */
import { createTransport } from 'nodemailer'
import { gzipSync } from 'node:zlib'

/** @type {Record<string, number>} Limits by row. */
export const limits = {
  'first list': 400,
  'open a mail': 60,
  'next mail with j': 50,
  'jump to the middle': 200,
  'search for nothing': 150,
  'search for everything': 150,
  'arrival after its 250': 100,
  'mark all as read': 2000,
  'delete all': 1000,
  'initial JavaScript, KB gzip': 90,
  'requests until the first list': 15,
  'requests until nothing is left to load': 25,
  'open a mail of 20 KB, without resting on it': 60,
  'fling of 10,000 px/s: frames full of rows, %': 90,
  'fling of 10,000 px/s: rows were missing for, at most': 100,
  'fast scroll through the list: rows in sight, %, at least': 95,
}

/**
 * Loads the page.
 *
 * @returns The ms until the first rows are painted, and what was loaded until then: requests, KB, and KB of JavaScript as gzip;
 *   `allRequests` includes those that follow while the page has nothing else to do.
 */
export async function firstList(page, url) {
  const scripts = []
  let requests = 0
  const sizes = []
  const take = (response) => {
    requests++
    // The live events do not end.
    if (!response.url().endsWith('/dev/events'))
      sizes.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => responseBodySize)
          .catch(() => 0),
      )
    if (new URL(response.url()).pathname.endsWith('.js'))
      scripts.push(response.body().catch(() => Buffer.alloc(0)))
  }
  page.on('response', take)
  await page.goto(url, { waitUntil: 'commit' })
  const ms = await page.evaluate(() => globalThis.firstList)
  page.off('response', take)
  const sum = (numbers) => numbers.reduce((all, one) => all + one, 0)
  const bodies = await Promise.all(scripts)
  return {
    ms,
    requests,
    allRequests: await untilQuiet(page),
    loaded: sum(await Promise.all(sizes)) / 1024,
    kilobytes: sum(bodies.map((body) => gzipSync(body).length)) / 1024,
  }
}

/** Waits until the page has asked for nothing new for a second. @returns The number of its requests since it was loaded. */
async function untilQuiet(page) {
  // Of these the page asks again and again.
  const count = () =>
    page.evaluate(
      () =>
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => !/\/dev\/(?:health|accounts)(?:\?|$)/.test(name)).length,
    )
  for (let [before, now] = [-1, await count()]; ; [before, now] = [now, await count()]) {
    // The page itself, its health and its accounts; the stream of events is no entry before it ends.
    if (before === now) return now + 4
    await page.waitForTimeout(1000)
  }
}

/**
 * Opens a mail with the pointer.
 *
 * @param restMs  How long the pointer rests on its row before: the page loads it ahead.
 * @returns The ms from the press until its subject and its body are painted.
 */
export async function openMail(page, at, restMs = 100) {
  const { x, y } = await page.evaluate((index) => {
    const box = globalThis.bench.rows()[index].getBoundingClientRect()
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }, at)
  const listen = () =>
    page.evaluate(() => {
      const { bench } = globalThis
      const before = bench.text('section.main h1')
      const shown = () => document.querySelector('section.main iframe:not(.ahead)')?.contentDocument
      const old = shown()
      const isOpen = () => {
        const now = shown()
        const isShown = now && now !== old && now.body?.childElementCount > 0
        return bench.text('section.main h1') !== before && isShown
      }
      const pressed = new Promise((resolve) =>
        addEventListener('pointerdown', ({ timeStamp }) => resolve(timeStamp), { capture: true, once: true }),
      )
      globalThis.opening = pressed.then(async (startedAt) => (await bench.until(isOpen)) - startedAt)
    })
  // Without a rest the press follows the move at once.
  if (restMs > 0) {
    await page.mouse.move(x, y)
    await page.waitForTimeout(restMs)
  }
  await listen()
  if (restMs === 0) await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.up()
  return page.evaluate(() => globalThis.opening)
}

/**
 * Presses `j` with a mail open, 0.1 seconds after the last step.
 *
 * @returns The ms until the next mail has the place of its heading.
 */
export const nextMail = (page) =>
  page.evaluate(async () => {
    const { bench } = globalThis
    await new Promise((resolve) => setTimeout(resolve, 100))
    const before = bench.text('section.main h1')
    return bench.after(
      () =>
        document.activeElement.dispatchEvent(
          new KeyboardEvent('keydown', {
            key: 'j',
            bubbles: true,
            cancelable: true,
          }),
        ),
      () => !['', before].includes(bench.text('section.main h1')),
    )
  })

/** Scrolls to a part of the list. @returns The ms until no row in sight is empty. */
export const jump = (page, part) =>
  page.evaluate((share) => {
    const box = document.querySelector('nav.list .box')
    const isInSight = (row) => {
      const { top, bottom } = row.getBoundingClientRect()
      const sight = box.getBoundingClientRect()
      return bottom > sight.top && top < sight.bottom
    }
    const target = (box.scrollHeight - box.clientHeight) * share
    return globalThis.bench.after(
      () => (box.scrollTop = target),
      () => {
        const seen = [...box.querySelectorAll('.rows > li')].filter(isInSight)
        const height = seen.reduce((sum, row) => sum + row.clientHeight, 0)
        return height >= box.clientHeight * 0.95 && seen.every((row) => row.querySelector('a'))
      },
    )
  }, part)

/** Types a search at once. @returns The ms until the number of its matches is painted. */
export const search = (page, words, found) =>
  page.evaluate(
    ([text, expected]) => {
      const input = document.querySelector('[aria-label="Search mails"]')
      input.focus()
      const line = () => document.querySelector('.line p[role=status]')?.textContent?.replace(/\D/g, '')
      return globalThis.bench.after(
        () => {
          input.value = text
          input.dispatchEvent(new InputEvent('input', { bubbles: true }))
        },
        () => line() === expected,
      )
    },
    [words, found],
  )

/**
 * Types a search that all mails match, after one that none matches.
 *
 * @returns The ms until the first matches are painted, and until the number of all is.
 */
export const searchAll = (page, words, found) =>
  page.evaluate(
    async ([text, expected]) => {
      const input = document.querySelector('[aria-label="Search mails"]')
      input.focus()
      const line = () => document.querySelector('.line p[role=status]')?.textContent?.replace(/\D/g, '')
      const { bench } = globalThis
      const began = performance.now()
      input.value = text
      input.dispatchEvent(new InputEvent('input', { bubbles: true }))
      const counting = bench.until(() => line() === expected)
      const shown = await bench.until(() => Number(line()) > 0 && bench.rows().length > 0)
      return { shown: shown - began, counted: (await counting) - began }
    },
    [words, found],
  )

/** Clears the search, closes its suggestions, and scrolls to the top of the list. */
export async function leaveSearch(page, all) {
  // The number of mails must change, or the step would end before the list is loaded.
  await search(page, 'nowhere', '0')
  await search(page, '', all)
  await page.evaluate(() => document.activeElement.blur())
  // The list now shows the row of the open mail. An arrival far above it would only be counted.
  await jump(page, 0)
}

/**
 * Sends a mail over SMTP, with the list at its top: a mail above what is in sight is only counted.
 *
 * @returns The ms from its 250 until the page has painted its row.
 */
export async function arrival(page, smtpPort, subject, html) {
  await jump(page, 0)
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    ignoreTLS: true,
  })
  const seen = page.evaluate(
    (wanted) =>
      globalThis.bench
        .until(() => globalThis.bench.rows().some((row) => row.textContent.includes(wanted)))
        .then((at) => performance.timeOrigin + at)
        .catch(() => {
          const { scrollTop } = document.querySelector('nav.list .box')
          const seen = document.querySelector('section.side').innerText.slice(0, 300)
          throw new Error(
            `the arrival of ${wanted} was not seen; scrolled to ${scrollTop}; the page shows: ${seen}`,
          )
        }),
    subject,
  )
  await transport.sendMail({
    from: 'live@acme.test',
    to: 'ada@example.com',
    subject,
    text: 'Live',
    ...(html && { html }),
  })
  const acceptedAt = performance.timeOrigin + performance.now()
  transport.close()
  return (await seen) - acceptedAt
}

/** Marks all as read. @returns The ms of the change, and the longest time for which the page did not run. */
export const markAllRead = (page) =>
  page.evaluate(async () => {
    const { bench } = globalThis
    const items = () => [...document.querySelectorAll('button')]
    // The browser keeps 250 entries, and then takes no more.
    performance.clearResourceTimings()
    bench.busiest()
    const ms = await bench.after(
      () =>
        items()
          .find((one) => /^Mark (all|matches) as read$/.test(one.textContent.trim()))
          .click(),
      () =>
        performance
          .getEntriesByType('resource')
          .some(({ name, responseEnd }) => /\ball=true/.test(name) && responseEnd > 0) &&
        bench.rows().every((row) => !row.classList.contains('unread')),
      120_000,
    )
    return { ms, longest: bench.busiest() }
  })

/** Deletes all: the button, then the answer to the question. @returns As {@link markAllRead}. */
export const deleteAll = (page) =>
  page.evaluate(async () => {
    const { bench } = globalThis
    document.querySelector('button[aria-label="Delete all…"]').click()
    await bench.until(() => document.querySelector('dialog[open] .danger'))
    bench.busiest()
    const ms = await bench.after(
      () => document.querySelector('dialog[open] .danger').click(),
      () => bench.rows().length === 0,
      120_000,
    )
    return { ms, longest: bench.busiest() }
  })

/**
 * Scrolls through the list from its top, one step each frame.
 *
 * @param kind  `windows`: two windows each frame, 60 times. `fling`: 10 pixels each millisecond, for three seconds.
 * @returns The part of the list in sight that had rows in each frame, in percent, and for how long rows were missing, at most.
 */
const scrollBy = (page, kind) =>
  page.evaluate(async (how) => {
    const box = document.querySelector('nav.list .box')
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    const covered = () => {
      const sight = box.getBoundingClientRect()
      let height = 0
      for (const row of box.querySelectorAll('.rows > li')) {
        const { top, bottom } = row.getBoundingClientRect()
        if (row.querySelector('a'))
          height += Math.max(0, Math.min(bottom, sight.bottom) - Math.max(top, sight.top))
      }
      return (100 * height) / sight.height
    }
    const steps = { windows: (at) => 2 * box.clientHeight * at, fling: (_, ms) => 10 * ms }
    const isOver = { windows: (at) => at > 60, fling: (_, ms) => ms > 3000 }
    const shares = []
    let [missingSince, longest] = [null, 0]
    const begun = performance.now()
    for (let at = 1; !isOver[how](at, performance.now() - begun); at++) {
      box.scrollTop = steps[how](at, performance.now() - begun)
      await frame()
      const share = covered()
      shares.push(share)
      const now = performance.now()
      if (share >= 95) missingSince = null
      else longest = Math.max(longest, now - (missingSince ??= now))
    }
    box.scrollTop = 0
    return { shares, longest }
  }, kind)

/**
 * Scrolls through the list in steps of two windows, one each frame.
 *
 * @returns The part of the list in sight that had rows, in percent: the least of any frame but the first two.
 */
export async function fastScroll(page) {
  const { shares } = await scrollBy(page, 'windows')
  return Math.min(...shares.slice(2))
}

/**
 * Scrolls through the list at 10,000 pixels a second, for three seconds.
 *
 * @returns The share of the frames that were full of rows, in percent, and the longest time for which rows were missing.
 */
export async function fling(page) {
  const { shares, longest } = await scrollBy(page, 'fling')
  const full = shares.filter((share) => share >= 95).length
  return { full: (100 * full) / shares.length, longest }
}
