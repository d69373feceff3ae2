#!/usr/bin/env node
import { cacheCompiledCode, explainOldNode } from '../lib/runtime/node/before-start'

// An old Node must be able to load this file and its static imports. Code for a newer Node is loaded after the check.
const refusal = explainOldNode(process.versions.node)
if (refusal === undefined) {
  cacheCompiledCode(process.env, process.versions.node)
  void import('./program').then(({ startProgram }) => startProgram())
} else {
  process.exitCode = 1
  process.stdout.write(refusal.stdout)
  process.stderr.write(refusal.stderr)
}
