"""What stands around every route: log, metrics, key, body, a client that goes away."""
