/** Rewrites the published JSON Schema from the codec: `node --import tsx test/review/write-schema.ts`. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { reviewSchema } from '../../lib/codec/review-schema'

const file = fileURLToPath(new URL('../../lib/codec/svc-review.schema.json', import.meta.url))
writeFileSync(file, JSON.stringify(reviewSchema, null, 2))
const biome = ['node_modules/@biomejs/biome/bin/biome', 'check', '--write', file]
const { status } = spawnSync(process.execPath, biome, { stdio: 'inherit' })
process.exitCode = status ?? 1
