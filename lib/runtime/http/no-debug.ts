/**
 * Replaces the package `debug`, which the proxy agents use, in the built program: `debug(name)` returns a logger that prints nothing.
 * The original would print the proxy's address and password if the variable `DEBUG` is set.
 */
export default () => (): void => undefined
