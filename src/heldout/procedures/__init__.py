"""Procedures: rules that say which rows train and which rows test."""
