/** The most bytes of a document that is taken in, request or response: 16 MiB. spec: Limits, D6, D37 */
export const largestDocument = 16 << 20
