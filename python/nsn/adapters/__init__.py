"""Problems of other programs: nsn.adapters.siconos, .fclib, .mujoco, .pinocchio. Each needs that program's own package
only where it is used."""
