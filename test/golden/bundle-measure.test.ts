import { bundleSuite, measuring } from './bundle-suite'

bundleSuite(...measuring)
