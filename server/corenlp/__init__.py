"""The protocol of Stanford CoreNLP's server."""
