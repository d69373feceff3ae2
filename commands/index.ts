import './version'
