/**
 * Stands for the package `debug` in the built program. With `DEBUG` in the environment the agents for proxies would print
 * the proxy's address, and its password with it.
 */
export default () => (): void => undefined
