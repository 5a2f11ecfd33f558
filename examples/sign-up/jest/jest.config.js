// Localpost is ESM: run Jest with `node --experimental-vm-modules`, and let nothing transform it.
export default { testEnvironment: 'node', transform: {} }
