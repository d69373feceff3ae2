/**
 * What the SDK takes from its platform, put in place of its own file by esbuild. Its file brings a validator of
 * JSON Schema, a third of the SDK's code, which only checks what a server asks its user for: svc asks nothing.
 */
export { default as process } from 'node:process'

/** Checks nothing, since nothing comes to it. */
export class DefaultJsonSchemaValidator {}
