import { bundleSuite } from './bundle-suite'

bundleSuite('review')
