import { bundleSuite } from './bundle-suite'

bundleSuite('errors')
