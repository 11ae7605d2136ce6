"""The service's processes: opening its port, workers, signals, connections."""
