"""chronotope learns what words mean when and where."""
