/** Preloaded by the command: says on SIGUSR2 whether the fetch of Node is loaded. */
process.on('SIGUSR2', () => {
  console.log(
    'fetch:',
    process.moduleLoadList.some((name) => name.includes('undici')),
  )
})
