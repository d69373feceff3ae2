/**
 * The SDK's platform module; esbuild puts this file in its place. The SDK's own brings a validator of JSON
 * Schema, a third of the SDK's code, which only checks answers of users to questions of a server. svc asks
 * none.
 */
export { default as process } from 'node:process'

/** Stands in for the validator. It is never used. */
export class DefaultJsonSchemaValidator {}
