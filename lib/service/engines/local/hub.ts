import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import * as E from 'fp-ts/Either'
import { send } from '../../../client/call/send'
import { itemsIn, memberIn, stringIn } from '../../../codec/json/json'
import { parseJson } from '../../../codec/json/parse'
import type { Runtime } from '../../../runtime/runtime'

/** What the hub is reached with. */
type Outside = Pick<Runtime, 'files' | 'signal' | 'clock' | 'env' | 'fetch'>

/** Matches the name of a model on the hub: `hf:owner/repository`, with a quantisation or a file, and a branch. */
const hubName = /^hf:([^/:#\s]+)\/([^/:#\s]+)[^#]*(?:#(.+))?$/

/** Whether a text names a model on the hub. */
export const isHubName = (text: string): boolean => hubName.test(text)

/**
 * Downloads a model by `download`, which resolves to its path, and compares its hash with those that the hub lists. A
 * file that is none of the hub's is deleted and fetched once more: a stopped download may have begun with another
 * version. Fails with the reason.
 */
export const downloadChecked = async (
  model: string,
  download: () => Promise<string>,
  outside: Outside,
): Promise<E.Either<string, string>> => {
  for (let attempt = 1; ; attempt += 1) {
    const hashes = await listHashes(model, outside)
    if (E.isLeft(hashes)) return hashes
    const path = await download()
    // The library also resolves where the download was stopped.
    if (outside.signal.aborted) return E.right(path)
    const others: string[] = []
    for (const part of partsOf(path))
      if (!hashes.right.has(await hashFile(part, outside))) others.push(part)
    if (others.length === 0 || outside.signal.aborted) return E.right(path)
    for (const part of others) await rm(part, { force: true })
    if (attempt === 2) return E.left(`${basename(path)} is not as the hub lists it`)
  }
}

/** The paths of all files of a model of which one may be `…-00001-of-00003.gguf`. */
const partsOf = (path: string): ReadonlyArray<string> => {
  const [, before = '', count = '00000'] = /^(.*)-00001-of-(\d{5})\.gguf$/s.exec(path) ?? []
  const parts = Array.from({ length: Number(count) }, (_, i) => `${i + 1}`.padStart(5, '0'))
  return parts.length === 0 ? [path] : parts.map((part) => `${before}-${part}-of-${count}.gguf`)
}

const hashFile = async (path: string, { files, signal }: Outside): Promise<string> => {
  const hash = createHash('sha256')
  for await (const chunk of files.chunks(path, signal)) hash.update(chunk)
  return hash.digest('hex')
}

/** The time for the list of a repository's files, in nanoseconds. */
const listTime = 30_000_000_000n

/** Asks the hub for the SHA-256 hashes of all large files of a model's repository. */
const listHashes = async (
  model: string,
  { signal, clock, env, fetch }: Outside,
): Promise<E.Either<string, ReadonlySet<string>>> => {
  const [, owner, repository, branch = 'main'] = hubName.exec(model) ?? []
  // The library downloads from the same address, with the same token.
  const hub = (env.MODEL_ENDPOINT ?? env.HF_ENDPOINT ?? 'https://huggingface.co').replace(/\/$/, '')
  const url = `${hub}/api/models/${owner}/${repository}/revision/${encodeURIComponent(branch)}?blobs=true`
  const authorization = env.HF_TOKEN ? { Authorization: `Bearer ${env.HF_TOKEN}` } : undefined
  const reply = await send(
    { method: 'GET', url, headers: { ...authorization } },
    { runtime: { fetch, clock }, timeout: listTime, signal },
  )()
  const document = E.isRight(reply) ? parseJson(reply.right.body) : reply
  const files = E.isRight(document) ? itemsIn(memberIn(document.right, 'siblings')) : []
  const hashes = files.flatMap((file) => stringIn(memberIn(memberIn(file, 'lfs'), 'sha256')) ?? [])
  const status = E.isRight(reply) ? `, status ${reply.right.status}` : ''
  return hashes.length === 0
    ? E.left(`the hub does not list its files with their hashes${status}`)
    : E.right(new Set(hashes))
}
