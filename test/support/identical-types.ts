/**
 * `true` only if A and B are identical types. TypeScript compares the two generic functions exactly, so a `readonly` or optional
 * field makes a difference too.
 */
export type IdenticalTypes<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
