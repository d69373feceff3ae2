/**
 * Replaces the package `debug` in the built program. If the variable `DEBUG` is set, `debug` would print the proxy's address and
 * password.
 */
export default () => (): void => undefined
