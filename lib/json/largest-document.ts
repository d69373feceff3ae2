/** The most bytes of a request or response document: 16 MiB. spec: Limits, D6, D37 */
export const largestDocument = 16 << 20
