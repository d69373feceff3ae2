import { bundleSuite } from './bundle-suite'

bundleSuite('ask', 'flags')
