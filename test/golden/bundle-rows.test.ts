import { bundleSuite, ofRows } from './bundle-suite'

bundleSuite(...ofRows)
