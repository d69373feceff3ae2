import { keepCompiled } from '../lib/runtime/compiled'

// Before anything else loads.
keepCompiled()
void import('./program')
