// This app and its tests are ES modules, for which Jest needs `node --experimental-vm-modules`. Localpost does not:
// tests in CommonJS require it without a flag.
export default { testEnvironment: 'node', transform: {} }
