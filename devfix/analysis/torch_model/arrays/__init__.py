"""Arrays and tables: NumPy, SciPy, pandas, scikit-learn, and what reads or draws their numbers on the host."""
