/** Says once that a request need not be answered any more. An `AbortSignal` is made only where one is wanted. */
export class Cancellation {
  #cancelled = false
  #controller: AbortController | undefined
  #listeners: Set<() => void> | undefined

  get cancelled(): boolean {
    return this.#cancelled
  }

  /** For what takes nothing but a signal. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#cancelled) this.#controller.abort()
    return this.#controller.signal
  }

  cancel(): void {
    if (this.#cancelled) return
    this.#cancelled = true
    this.#controller?.abort()
    for (const run of this.#listeners ?? []) run()
    this.#listeners = undefined
  }

  /** Calls `run` when it fires; returns a function that forgets about it. */
  listen(run: () => void): () => void {
    this.#listeners ??= new Set()
    const listeners = this.#listeners
    listeners.add(run)
    return () => listeners.delete(run)
  }
}
