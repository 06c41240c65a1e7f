"""Test pairs and scores."""
