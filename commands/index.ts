import './help'
import './version'
