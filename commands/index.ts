import './completion'
import './help'
import './version'
